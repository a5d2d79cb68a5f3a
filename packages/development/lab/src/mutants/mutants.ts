import type { Mutant } from "./mutant.ts"
import { consoleMutants } from "./mutants/console.ts"
import { databaseMutants } from "./mutants/database.ts"
import { egressMutants } from "./mutants/egress.ts"
import { kafkaMutants } from "./mutants/kafka.ts"
import { limiterMutants } from "./mutants/limiter.ts"
import { syncSchedulerMutants } from "./mutants/sync-scheduler.ts"
import { triggerGatewayMutants } from "./mutants/trigger-gateway.ts"
import { webhookDispatcherMutants } from "./mutants/webhook-dispatcher.ts"

/** Faults that reviews planted. Each review adds some. A fault is removed when its code is gone. */
export const mutants: readonly Mutant[] = [
  ...consoleMutants,
  ...databaseMutants,
  ...egressMutants,
  ...kafkaMutants,
  ...limiterMutants,
  ...syncSchedulerMutants,
  ...triggerGatewayMutants,
  ...webhookDispatcherMutants,
]
