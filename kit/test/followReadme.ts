import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pickPort } from "@sitewire/testkit/backing"

const root = join(import.meta.dirname, "../..")

/** What a reader's machine has, so that nothing is installed into this one. `$OWN` is an empty folder. */
const machines: Record<string, string> = {
  python: 'python3 -m venv --without-pip "$OWN"; export PIP_PYTHON="$OWN/bin/python" PATH="$OWN/bin:$PATH"',
  go: 'export GOMODCACHE="$OWN" GOFLAGS=-modcacherw',
  php: '. "$ROOT/kit/php/debian.sh"; debian_packages "$ROOT/kit/php/.work/zip" php-zip; export COMPOSER_HOME="$OWN"; composer config --global repositories.packagist false',
  ruby: 'export GEM_PATH="$OWN:$(ruby -e \'puts Gem.path.join(":")\')" GEM_HOME="$OWN"',
}

/**
 * Prepares what a reader of a library's page does in an empty folder that has only the library's archive, up to a running receiver:
 * the sections Install and Verify. Blocks of code that name a file are saved, and the commands are in the returned script; the last
 * one starts the receiver.
 */
export async function followReadme(language: string, library: string, archives: string) {
  const folder = mkdtempSync(join(tmpdir(), "sitewire-readme-"))
  const app = join(folder, "app")
  const own = join(folder, "own")
  cpSync(archives, app, { recursive: true })
  mkdirSync(own)
  const port = await pickPort({ wanted: 0, service: `the receiver of ${library}/README.md` })
  const page = readFileSync(join(root, library, "README.md"), "utf8").replaceAll("3000", String(port))
  const steps = page.slice(page.indexOf("\n## Install\n"), page.indexOf("\n## Test\n"))
  const commands: string[] = []
  for (const [, info = "", text = ""] of steps.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)) {
    const [, file] = info.split(" ")
    if (info === "sh") commands.push(text)
    else if (file?.includes(".")) writeFileSync(join(app, file), text)
  }
  return {
    folder,
    app,
    origin: `http://localhost:${port}`,
    script: [machines[language] ?? "", ...commands].join("\n"),
    env: { OWN: own, ROOT: root },
  }
}
