import { testLanguage } from "./testLanguage.ts"

testLanguage("python")
