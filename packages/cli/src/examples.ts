/** The end of a command's help text. Each line is a command as it would be typed. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`
}
