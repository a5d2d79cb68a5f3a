import { readFileSync } from "node:fs"

/** Names of the machine's hosts file with their addresses; empty if there is none. */
export function readHosts(path = "/etc/hosts"): Map<string, string[]> {
  const hosts = new Map<string, string[]>()
  let text = ""
  try {
    text = readFileSync(path, "utf8")
  } catch {
    return hosts
  }
  for (const line of text.split("\n")) {
    const [address, ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    if (address === undefined) continue
    for (const name of names) {
      const key = name.toLowerCase()
      const known = hosts.get(key) ?? []
      if (!known.includes(address)) hosts.set(key, [...known, address])
    }
  }
  return hosts
}
