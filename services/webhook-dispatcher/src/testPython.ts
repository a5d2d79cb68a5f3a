import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { fileURLToPath } from "node:url"

const version = "1.1.0"
const tools = fileURLToPath(new URL("../../../.sitewire/tools", import.meta.url))

// Receivers verify with one secret; it and what came are read from standard input.
const program = `
import json, sys
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
request = json.load(sys.stdin)
try:
    Webhook(request["secret"]).verify(request["body"], request["headers"])
    print("verified")
except WebhookVerificationError as error:
    print(error)
`

/**
 * Verifies with the standardwebhooks library of PyPI, which is installed once per version. Returns "verified", or why
 * it refused. Throws where there is no Python, or the library cannot be installed.
 */
export async function verifyInPython(request: {
  secret: string
  body: string
  headers: Record<string, string>
}): Promise<string> {
  const folder = `${tools}/python-standardwebhooks-${version}`
  if (!existsSync(folder)) await install(folder)
  const input = JSON.stringify(request)
  return python(["-c", program], { input, env: { PATH: process.env.PATH, PYTHONPATH: folder } }).trim()
}

/** Into a folder of its own and then renamed, so that what was cut off is not taken for installed. */
async function install(folder: string): Promise<void> {
  await mkdir(tools, { recursive: true })
  const making = mkdtempSync(`${tools}/making-`)
  const options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--target", making]
  try {
    python(["-m", "pip", "install", ...options, `standardwebhooks==${version}`], { env: process.env })
    renameSync(making, folder)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

function python(args: string[], options: { input?: string; env: NodeJS.ProcessEnv }): string {
  try {
    return execFileSync("python3", args, { ...options, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] })
  } catch (cause) {
    throw new Error(
      `python3 ${args.slice(0, 3).join(" ")} failed. Our headers are promised to verify with the standardwebhooks ` +
        "library of PyPI: install Python 3 with pip, see that a package index can be reached, and run again.",
      { cause },
    )
  }
}
