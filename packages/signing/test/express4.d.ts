// Express 4 comes without types. The parts that the tests use are the same in Express 5.
declare module "express-4" {
  export { default } from "express"
}
