/* Whatever changes a delivery: the functions that the model is compared with. */
export { decide } from "../../../../services/webhook-dispatcher/src/decide/decide.ts"
export * from "../../src/index.ts"
