import { testLanguage } from "./testLanguage.ts"

testLanguage("csharp")
