/** A table in Markdown. Columns are not padded: a longer cell would change every line of the diff. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(" | ")} |`
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")
}

function escapeCell(cell: string): string {
  return cell.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ")
}
