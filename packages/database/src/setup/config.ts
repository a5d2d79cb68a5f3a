import { allRoles, isApiKey } from "@sitewire/contracts"
import {
  booleanVariable,
  countVariable,
  databaseVariables,
  kafkaVariables,
  processVariables,
  retryVariables,
  topicVariables,
} from "@sitewire/runtime"
import { z } from "zod"

export const setupVariables = {
  LOG_LEVEL: processVariables.LOG_LEVEL,
  STARTUP_DEADLINE: processVariables.STARTUP_DEADLINE,
  DATABASE_URL: databaseVariables.DATABASE_URL,
  DATABASE_PASSWORD_COMMAND: databaseVariables.DATABASE_PASSWORD_COMMAND,
  DATABASE_ROLE_PREFIX: z
    .string()
    .regex(
      /^[a-z][a-z0-9_]{0,30}$/,
      "must be lower-case letters, digits and _, of which the first is a letter",
    )
    .optional()
    .describe(
      "Create a Postgres role with the least rights for each process, whose name is this and the process's, such as webhooks_trigger_gateway. Needs CREATEROLE, unless the roles exist.",
    ),
  ...kafkaVariables,
  ...retryVariables,
  FIRST_API_KEY: z
    .string()
    .refine(
      isApiKey,
      "must be swk_ and 43 letters, digits, - or _ (32 random bytes in base64url), or a key that Sitewire created",
    )
    .optional()
    .meta({
      description: `The first key of the management API, with the scopes ${allRoles.join(", ")}. Stored as a hash, and only once: a revoked key stays revoked.`,
      secret: true,
    }),
  MANAGE_TOPICS: booleanVariable(
    "Create topics and correct their settings. false: if others make them; the setup then only compares them, and fails if one is missing.",
    "true",
  ),
  ...topicVariables,
  TOPIC_REPLICATION: countVariable(
    3,
    { min: 1, max: 10 },
    "Copies of each topic that is created. With 2 or more, writes wait for all copies but one.",
  ),
}
