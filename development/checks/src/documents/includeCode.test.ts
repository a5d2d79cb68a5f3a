import { expect, test } from "vitest"
import { includeCode } from "./includeCode.ts"

const files: Record<string, string> = {
  "kit/a.py": "import sitewire\n\nprint(1)\n",
  "kit/b.ts": "skip()\n  // region receive\n  one()\n    two()\n  // endregion\nskip()\n",
}
const include = (text: string) => includeCode(text, (path) => files[path] ?? "")

test("the block after the line is the file's content, or that of a region without its margin, and nothing else changes", () => {
  const page = (a: string, b: string) =>
    `# Page\n\n<!-- code of kit/a.py -->\n\`\`\`python\n${a}\`\`\`\n\n1. Step:\n\n   <!-- code of kit/b.ts#receive -->\n   \`\`\`ts\n${b}   \`\`\`\n\n\`\`\`sh\nls\n\`\`\`\n`
  const current = page("import sitewire\n\nprint(1)\n", "   one()\n     two()\n")
  expect(include(page("old\n", "   old\n"))).toBe(current)
  expect(include(current)).toBe(current)
})

test("a region that is missing is an error that says what to write", () => {
  expect(() => include("<!-- code of kit/a.py#receive -->\n```python\n```\n")).toThrow(
    'kit/a.py has no region receive: a line "region receive", and "endregion" after it',
  )
})
