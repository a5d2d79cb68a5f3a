import { readFileSync } from "node:fs"

export function readHostsFile(path = "/etc/hosts"): Map<string, string[]> {
  const hosts = new Map<string, string[]>()
  let text = ""
  try {
    text = readFileSync(path, "utf8")
  } catch {
    return hosts
  }
  for (const line of text.split("\n")) {
    const [ip, ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    if (ip === undefined) continue
    for (const name of names) {
      const key = name.toLowerCase()
      const known = hosts.get(key) ?? []
      if (!known.includes(ip)) hosts.set(key, [...known, ip])
    }
  }
  return hosts
}
