/** Finds why a process ended: the message of its fatal error, or else the last lines. */
export function reasonIn(output: string): string {
  const lines = output.trimEnd().split("\n")
  const fatal = lines.map(fatalMessage).findLast((message) => message !== undefined)
  return fatal ?? lines.slice(-8).join("\n")
}

function fatalMessage(line: string): string | undefined {
  try {
    const { level, error } = JSON.parse(line) as { level?: string; error?: { message?: string } }
    return level === "fatal" ? error?.message : undefined
  } catch {
    // The line is no JSON: a configuration error is plain text.
    return undefined
  }
}
