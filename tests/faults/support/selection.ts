/** The service on which CI applies the faults of all: it calls another service and applications, and has its own data. */
const STAND_IN = 'connections';

/** Whether this run applies every fault: `FAULTS=all npm test -- faults`. */
export const isEverything = process.env['FAULTS'] === 'all';

/**
 * Whether this run freezes, restarts or cuts off this process. CI kills every process, but applies the other faults only to the gateway,
 * mongod and one service, because the others run the same code. `FAULTS=all npm test -- faults` covers all.
 */
export function isHit(name: string): boolean {
  return isEverything || ['gateway', 'mongod', STAND_IN].includes(name);
}
