/** The service that represents the three in CI: it calls another one and applications, and has its own data. */
const STAND_IN = 'connections';

/** Whether this run applies every fault: `FAULTS=all npm test -- faults`. */
export const isEverything = process.env['FAULTS'] === 'all';

/**
 * Whether this run freezes, restarts or cuts off the process of that name. CI kills every process, and applies the other
 * faults to the gateway, mongod and one service, because the others run the same code. `FAULTS=all npm test -- faults` covers all.
 */
export function isHit(name: string): boolean {
  return isEverything || ['gateway', 'mongod', STAND_IN].includes(name);
}
