import type { Dashboard } from "./dashboard.ts"
import { deliveries } from "./definitions/deliveries.ts"
import { overview } from "./definitions/overview.ts"
import { triggers } from "./definitions/triggers.ts"

export const dashboards: readonly Dashboard[] = [overview, deliveries, triggers]
