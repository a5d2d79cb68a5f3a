import {
  type AttemptError,
  attemptErrorSchema,
  type Delivery,
  deliveryStateSchema,
} from "@sitewire/contracts"

/** Values of the column `state_error`. Undefined: all states, or all errors and none. */
export function statesAndErrors(state?: Delivery["state"], error?: AttemptError): string[] {
  const states = state === undefined ? deliveryStateSchema.options : [state]
  const errors = error === undefined ? ["", ...attemptErrorSchema.options] : [error]
  return states.flatMap((one) => errors.map((other) => `${one}:${other}`))
}
