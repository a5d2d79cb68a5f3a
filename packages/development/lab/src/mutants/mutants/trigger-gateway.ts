import type { Mutant } from "../mutant.ts"

export const triggerGatewayMutants: readonly Mutant[] = [
  {
    name: "Gateway: a wrong token gets 202 if it shares a batch with a valid one for the same connection",
    file: "services/trigger-gateway/src/trigger/processBatch.ts",
    find: "if (!valid[index]) settle(index, notFound)",
    replace:
      "if (!batch.some((other, at) => other.connection === connection && valid[at])) settle(index, notFound)",
    tests: ["services/trigger-gateway/src/trigger/processBatch.test.ts"],
    testName: "a wrong token gets 404 beside a valid one",
  },
  {
    name: "Gateway: a trigger gets 202 before Kafka has acknowledged it",
    file: "services/trigger-gateway/src/trigger/processBatch.ts",
    find: "await publish([",
    replace: "void publish([",
    tests: ["services/trigger-gateway/src/trigger/processBatch.test.ts"],
    testName: "that Kafka does not acknowledge affects only its own connection",
  },
  {
    name: "Gateway: a token is accepted for a connection that does not exist",
    file: "services/trigger-gateway/src/trigger/checkTokens.ts",
    find: "return same && stored !== undefined",
    replace: "return same || stored === undefined",
    tests: ["services/trigger-gateway/test/responses.test.ts"],
    testName: "every URL that is not a valid trigger URL gets the same 404",
  },
  {
    name: "Gateway: a standby's tokens are accepted, which may be outdated",
    file: "packages/database/src/pool.ts",
    find: "if (!rows[0]?.standby) return",
    replace: "if (rows.length > 0) return",
    tests: ["services/trigger-gateway/test/outages.test.ts"],
    testName: "while its Postgres is a standby",
  },
]
