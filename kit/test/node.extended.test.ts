import { testLanguage } from "./testLanguage.ts"

testLanguage("node")
