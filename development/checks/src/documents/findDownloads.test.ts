import { expect, test } from "vitest"
import { findDownloads } from "./findDownloads.ts"

test("npx must not download a package by its name", () => {
  const found = (text: string) => findDownloads({ path: "docs/page.md", text }).length
  for (const command of ["npx @sitewire/signing send", "`npx --yes sitewire`"]) expect(found(command)).toBe(1)
  for (const command of ["npx --no -- sitewire-signing send", "npx --yes ./archive.tgz", "npx ./archive.tgz"])
    expect(found(command), command).toBe(0)
})
