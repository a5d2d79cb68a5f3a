// Run by compose.yaml before everything else: writes the secrets of this installation into the volume `keys`, once.
import { randomBytes } from "node:crypto"
import { chownSync, existsSync, renameSync, writeFileSync } from "node:fs"

if (!existsSync("/keys/env")) {
  const password = randomBytes(24).toString("hex")
  write("/keys/postgres-password", password, 70)
  // Renamed when it is complete: its existence says that all secrets exist.
  const lines = [
    `DATABASE_URL=postgres://sitewire:${password}@postgres:5432/sitewire`,
    `SEALING_KEYS=k1:${randomBytes(32).toString("base64")}`,
  ]
  write("/keys/env.new", `${lines.join("\n")}\n`, 65532)
  renameSync("/keys/env.new", "/keys/env")
}

/** Only the account that reads the file can: `postgres` of the Postgres image, or that of our images. */
function write(path, content, owner) {
  writeFileSync(path, content, { mode: 0o400 })
  chownSync(path, owner, owner)
}
