/**
 * In a document, the code block after a line `<!-- code of PATH -->` is the content of that file, with the lines between the
 * first `region NAME` and the next `endregion` only if the line says `PATH#NAME`. So what a reader copies is what was tested.
 *
 * `read` returns a file of the repository. Throws if a named region is missing.
 */
export function includeCode(text: string, read: (path: string) => string): string {
  return text.replaceAll(
    /^([ \t]*)<!-- code of ([^\s#]+)(?:#(\w+))? -->\n[ \t]*```(\w*)\n[\s\S]*?^[ \t]*```$/gm,
    (_, indent: string, path: string, region: string | undefined, language: string) => {
      const code = regionOf(read(path), path, region).trimEnd().split("\n")
      const lines = [
        `<!-- code of ${path}${region === undefined ? "" : `#${region}`} -->`,
        `\`\`\`${language}`,
        ...code,
        "```",
      ]
      return lines.map((line) => (line === "" ? "" : `${indent}${line}`)).join("\n")
    },
  )
}

function regionOf(code: string, path: string, region: string | undefined): string {
  if (region === undefined) return code
  const lines = code.split("\n")
  const begin = lines.findIndex((line) => new RegExp(`\\bregion ${region}\\b`).test(line))
  const length = lines.slice(begin + 1).findIndex((line) => /\bendregion\b/.test(line))
  if (begin < 0 || length < 0)
    throw new Error(
      `${path} has no region ${region}: a line "region ${region}", and "endregion" after it, in comments.`,
    )
  const inside = lines.slice(begin + 1, begin + 1 + length)
  const margin = Math.min(...inside.filter(Boolean).map((line) => line.search(/\S/)))
  return inside.map((line) => line.slice(margin)).join("\n")
}
