import type { PointId, SnippetLanguage } from "@sitewire/contracts"
import { processLater, processOnce, readRawBody } from "./receiverSnippets.ts"
import verify from "./verify.json" with { type: "json" }

const snippets: Record<PointId, Record<SnippetLanguage, string> | null> = {
  genuine: verify,
  repeated: processOnce,
  "forged-signature": verify,
  "missing-signature": verify,
  "re-encoded-body": readRawBody,
  "previous-secret": null,
  rotation: acceptBoth(),
  "response-time": processLater,
  burst: processLater,
}

/** Null if no code helps. */
export function snippetFor(point: PointId, language: SnippetLanguage): string | null {
  return snippets[point]?.[language] ?? null
}

/** With the functions of verify.json. */
function acceptBoth(): Record<SnippetLanguage, string> {
  const call = (name: string) => (secret: string) => `${name}(body, header, ${secret})`
  return {
    node: `const valid = ${call("verify")("currentSecret")} || ${call("verify")("nextSecret")}\n`,
    python: `valid = ${call("verify")("current_secret")} or ${call("verify")("next_secret")}\n`,
    java: `boolean valid = ${call("Signature.verify")("currentSecret")} || ${call("Signature.verify")("nextSecret")};\n`,
    go: `valid := ${call("verify")("currentSecret")} || ${call("verify")("nextSecret")}\n`,
    php: "$valid = verify($body, $header, $currentSecret) || verify($body, $header, $nextSecret);\n",
  }
}
