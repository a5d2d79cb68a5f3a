import { readFile } from "node:fs/promises"

const marker = /^ *<!-- run by npm run procedures -->\n( *)```sh\n([\s\S]*?)\n *```$/gm

/** The shell examples of a page that a run executes, in their order. */
export async function readSteps(file: URL): Promise<string[]> {
  const text = await readFile(file, "utf8")
  return [...text.matchAll(marker)].map(([, indent = "", code = ""]) =>
    code
      .split("\n")
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
      .join("\n"),
  )
}
