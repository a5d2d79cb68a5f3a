/** A comment, a text in quotes or dollar quotes, a semicolon, or any other character. */
const token =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?\1|;|[\s\S]/g

/** The statements of an SQL script, without comments. */
export function splitStatements(script: string): string[] {
  const statements = [""]
  for (const [text] of script.matchAll(token)) {
    if (text === ";") statements.push("")
    else if (!text.startsWith("--") && !text.startsWith("/*"))
      statements.push(`${statements.pop() ?? ""}${text}`)
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== "")
}
