import type { Check } from "./check.ts"
import { commentsCheck } from "./comments/commentsCheck.ts"
import { documentsCheck } from "./documents/documentsCheck.ts"
import { licencesCheck } from "./licences/licencesCheck.ts"

const checks: Check[] = [commentsCheck, documentsCheck, licencesCheck]

const root = new URL("../../../../", import.meta.url)
for (const check of checks) {
  const { summary, problems } = await check.run(root)
  console.log(`${check.name}: ${summary}`)
  for (const problem of problems) console.error(`${check.name}: ${problem}`)
  if (problems.length > 0) process.exitCode = 1
}
