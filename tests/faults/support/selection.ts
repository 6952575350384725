/** The service that stands for the three in CI: it calls another one, and applications, and keeps data of its own. */
const STAND_IN = 'connections';

const isEverything = process.env['FAULTS'] === 'all';

/**
 * Whether this run freezes, restarts or cuts off the process of that name. CI kills every process, and does the rest to the
 * gateway, mongod and one service: what the others are spared differs in no code. `npm run test:faults:all` spares none.
 */
export function isHit(name: string): boolean {
  return isEverything || ['gateway', 'mongod', STAND_IN].includes(name);
}
