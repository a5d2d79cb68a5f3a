const marked = /<!-- table:([\w-]+) -->\n[\s\S]*?<!-- \/table -->/g

/**
 * The text with every marked place holding its table. Throws where a marker names no table, or a table has no place:
 * either would leave something out without a word.
 */
export function fillTables(text: string, tables: ReadonlyMap<string, string>): string {
  const placed = new Set<string>()
  const filled = text.replace(marked, (_, name: string) => {
    const table = tables.get(name)
    if (table === undefined) {
      throw new Error(`README.md has a place for the table "${name}", which nothing makes. Take it out.`)
    }
    placed.add(name)
    return `<!-- table:${name} -->\n\n${table}\n\n<!-- /table -->`
  })
  const missing = [...tables.keys()].filter((name) => !placed.has(name))
  if (missing.length > 0) {
    throw new Error(
      `README.md has no place for: ${missing.join(", ")}. Add <!-- table:NAME --> and <!-- /table -->, each on its own line.`,
    )
  }
  return filled
}
