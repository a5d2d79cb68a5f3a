import { testLanguage } from "./testLanguage.ts"

testLanguage("ruby")
