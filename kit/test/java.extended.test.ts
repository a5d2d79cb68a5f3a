import { testLanguage } from "./testLanguage.ts"

testLanguage("java")
