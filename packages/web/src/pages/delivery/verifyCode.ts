import type { Schemas } from "../../api/client.ts"
import { isSignatureHeader } from "./curl.ts"
import functions from "./verify.json"

export const languages = [
  { id: "node", name: "Node" },
  { id: "python", name: "Python" },
  { id: "java", name: "Java" },
  { id: "go", name: "Go" },
  { id: "php", name: "PHP" },
] as const

type Language = (typeof languages)[number]["id"]

/** The function of docs/partners.md that verifies a signature. */
export const verifyFunction = (language: Language): string => functions[language]

/** A program that verifies this body: the function of docs/partners.md and a call of it. */
export function verifyCode(language: Language, body: string, attempt?: Schemas["Attempt"]): string {
  const sent = Object.entries(attempt?.request_headers ?? {}).find(([name]) => isSignatureHeader(name))
  // The API shows the beginning of the signature only.
  const call = calls[language](body, String(sent?.[1] ?? "sha256=…"))
  return `${heads[language] ?? ""}${functions[language]}\n${call}`
}

const heads: Partial<Record<Language, string>> = { go: 'package main\n\nimport "os"\n', php: "<?php\n" }

// A JSON text is a valid literal in these languages.
const calls: Record<Language, (body: string, header: string) => string> = {
  node: (body, header) =>
    `const body = Buffer.from(${JSON.stringify(body)})\nconst header = ${JSON.stringify(header)}\nconsole.log(verify(body, header, process.env.SITEWIRE_SECRET))\n`,
  python: (body, header) =>
    `\n\nimport os\n\nbody = ${JSON.stringify(body)}.encode()\nheader = ${JSON.stringify(header)}\nprint(verify(body, header, os.environ["SITEWIRE_SECRET"]))\n`,
  java: (body, header) =>
    `class Main {\n    public static void main(String[] args) throws GeneralSecurityException {\n        byte[] body = ${JSON.stringify(body)}.getBytes(UTF_8);\n        String header = ${JSON.stringify(header)};\n        System.out.println(Signature.verify(body, header, System.getenv("SITEWIRE_SECRET")));\n    }\n}\n`,
  go: (body, header) =>
    `func main() {\n\tbody := []byte(${JSON.stringify(body)})\n\theader := ${JSON.stringify(header)}\n\tprintln(verify(body, header, os.Getenv("SITEWIRE_SECRET")))\n}\n`,
  php: (body, header) =>
    `$body = ${phpText(body)};\n$header = ${phpText(header)};\nvar_dump(verify($body, $header, getenv('SITEWIRE_SECRET')));\n`,
}

function phpText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
}
