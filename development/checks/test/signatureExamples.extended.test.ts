import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findProgram, needs } from "@sitewire/testkit/needs"
import { afterAll, expect, test } from "vitest"
import { readPage } from "../src/documents/page.ts"

const root = new URL("../../../", import.meta.url)
const document = "docs/partners/receive.md"
const page = readPage(document, readFileSync(new URL(document, root), "utf8"))
const folder = mkdtempSync(join(tmpdir(), "sitewire-signatures-"))

afterAll(() => rmSync(folder, { recursive: true }))

type Vector = {
  scheme: string
  secrets: string[]
  body: string
  headers: Record<string, string>
  fault?: string
}

// The functions verify one header with one secret, and do not read the body.
const all: Vector[] = JSON.parse(readFileSync(new URL("kit/vectors/deliveries.json", root), "utf8"))
const vectors = all.filter(({ scheme, secrets }) => scheme === "sitewire" && secrets.length === 1)
// Every language gets the same vectors, as lines of base64.
const input = vectors
  .map(({ body, headers, secrets: [secret = ""] }) => {
    const header = Object.entries(headers).find(([name]) => name.toLowerCase() === "x-sitewire-signature")
    return [body, base64(header?.[1] ?? ""), base64(secret)].join(",")
  })
  .join("\n")
const expected = vectors.map(({ fault }) => fault === undefined || fault === "invalid-body")

type Language = {
  name: string
  /** What the machine needs besides Node. */
  program: "javac" | "go" | "php" | "python3" | null
  /** Writes the page's function and what calls it for every line of the input; returns the command line. */
  write(code: string): [string, string[]]
}

const languages: Language[] = [
  {
    name: "js",
    program: null,
    write(code) {
      save("verify.mjs", code)
      const main = save(
        "main.mjs",
        `import { readFileSync } from "node:fs"
import { verify } from "./verify.mjs"
for (const line of readFileSync(0, "utf8").split("\\n")) {
  const [body, header, secret] = line.split(",").map((text) => Buffer.from(text, "base64"))
  console.log(verify(body, header.toString() || undefined, secret.toString()))
}`,
      )
      return [process.execPath, [main]]
    },
  },
  {
    name: "python",
    program: "python3",
    write(code) {
      save("verify.py", code)
      const main = save(
        "main.py",
        `import base64, sys
from verify import verify
for line in sys.stdin.read().split("\\n"):
    body, header, secret = [base64.b64decode(text) for text in line.split(",")]
    print(str(verify(body, header.decode() or None, secret.decode())).lower())`,
      )
      return ["python3", [main]]
    },
  },
  {
    name: "php",
    program: "php",
    write(code) {
      const main = save(
        "main.php",
        `<?php
${code}
foreach (explode("\\n", file_get_contents("php://stdin")) as $line) {
    [$body, $header, $secret] = array_map("base64_decode", explode(",", $line));
    echo verify($body, $header === "" ? null : $header, $secret) ? "true\\n" : "false\\n";
}`,
      )
      return ["php", [main]]
    },
  },
  {
    name: "java",
    program: "javac",
    write(code) {
      save("Signature.java", code)
      const main = save(
        "Main.java",
        `import java.nio.charset.StandardCharsets;
import java.util.Base64;
class Main {
    public static void main(String[] args) throws Exception {
        String input = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        for (String line : input.split("\\n")) {
            String[] fields = line.split(",", -1);
            String header = new String(Base64.getDecoder().decode(fields[1]), StandardCharsets.UTF_8);
            String secret = new String(Base64.getDecoder().decode(fields[2]), StandardCharsets.UTF_8);
            byte[] body = Base64.getDecoder().decode(fields[0]);
            System.out.println(Signature.verify(body, header.isEmpty() ? null : header, secret));
        }
    }
}`,
      )
      // A JVM that ends after a second takes half the CPU time if it compiles less, and has one thread for garbage.
      const short = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
      const options = [...short.map((flag) => `-J${flag}`), "-encoding", "UTF-8", "-d", folder]
      execFileSync("javac", [...options, main, join(folder, "Signature.java")])
      return ["java", [...short, "-cp", folder, "Main"]]
    },
  },
  {
    name: "go",
    program: "go",
    write(code) {
      const verify = save("verify.go", `package main\n\n${code}`)
      const main = save(
        "main.go",
        `package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	input, _ := io.ReadAll(os.Stdin)
	for _, line := range strings.Split(string(input), "\\n") {
		var fields [3][]byte
		for index, text := range strings.Split(line, ",") {
			fields[index], _ = base64.StdEncoding.DecodeString(text)
		}
		fmt.Println(verify(fields[0], string(fields[1]), string(fields[2])))
	}
}`,
      )
      return ["go", ["run", main, verify]]
    },
  },
]

test("docs/partners/receive.md has a function in each language, and there are vectors", () => {
  expect(vectors.length).toBeGreaterThan(30)
  for (const { name } of languages) expect(codeOf(name)).toContain("verify")
})

for (const language of languages) {
  test(`the ${language.name} function for partners agrees with every test vector`, (context) => {
    const { program } = language
    if (program)
      needs(() => findProgram(program, "Install it to test the examples in its language."), context)
    expect(run(language)).toEqual(expected)
  })
}

function run(language: Language): boolean[] {
  const [command, args] = language.write(codeOf(language.name))
  const output = execFileSync(command, args, { cwd: folder, input, encoding: "utf8" })
  return output
    .trim()
    .split("\n")
    .map((line) => line === "true")
}

function codeOf(language: string): string {
  const blocks = page.codeBlocks.filter((block) => block.language === language)
  expect(blocks, `${document} has one example in ${language}`).toHaveLength(1)
  return blocks[0]?.text ?? ""
}

function save(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64")
}
