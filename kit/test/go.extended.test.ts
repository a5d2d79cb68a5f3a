import { testLanguage } from "./testLanguage.ts"

testLanguage("go")
