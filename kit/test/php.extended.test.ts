import { testLanguage } from "./testLanguage.ts"

testLanguage("php")
