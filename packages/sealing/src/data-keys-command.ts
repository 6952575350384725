import { runDatabaseCommand } from '@fairlead/service-kit/mongo/database-command';
import type { DatabaseCommand } from '@fairlead/service-kit/mongo/database-command';
import { createStore } from '@fairlead/service-kit/mongo/mongo';
import { dataKeyCollection, mongoDataKeyStore } from './data-keys.ts';
import type { DataKeyStore } from './data-keys.ts';
import { replacementState } from './replacement-state.ts';
import type { ReplacementDocument, ReplacementState } from './replacement-state.ts';

/**
 * `data-keys status | replace --yes` of a service that seals. `status` prints how many data keys each key-encryption key wraps, and the
 * progress of a replacement; `replace --yes` requests one, which the running service carries out. Needs no key. Returns the exit code: 1
 * with a line on `err` if the usage is wrong, or if the command refuses or fails.
 */
export function runDataKeysCommand(o: DatabaseCommand): Promise<number> {
  return runDatabaseCommand(o, {
    usage: 'usage: data-keys status | replace --yes',
    accepts: ({ action, isConfirmed }) => action === (isConfirmed ? 'replace' : 'status'),
    work({ action, client, db }) {
      const state = replacementState({ db });
      if (action === 'replace') return request(state);
      return statusLines(mongoDataKeyStore(createStore(client, db)), state);
    },
  });
}

async function statusLines(store: DataKeyStore, state: ReplacementState): Promise<string[]> {
  const names = (await store.wrappingKeys()).toSorted();
  const counts = await Promise.all(names.map((name) => store.countWrappedWith(name)));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const replacement = await state.read();
  return [
    `${total} data keys in ${dataKeyCollection.name}`,
    ...names.map((name, at) => `  wrapped with ${name}: ${counts[at] ?? 0}`),
    `  with former data keys: ${await store.countFormer()}`,
    ...(replacement === undefined ? [] : [`  ${describe(replacement)}`]),
  ];
}

function describe(it: ReplacementDocument): string {
  const done = `${it.issued} data keys replaced, ${it.resealed} documents sealed anew, ${it.failed} values do not open`;
  const steps: Record<ReplacementDocument['phase'], string> = {
    issuing: 'issuing data keys',
    waiting: `waiting until ${it.resumeAt?.toISOString() ?? ''} for pass ${it.pass}`,
    resealing: `pass ${it.pass}, ${it.examined} of about ${it.total} documents examined`,
    retiring: 'removing the former data keys',
    done: `done at ${it.finishedAt?.toISOString() ?? ''}`,
  };
  return `replacement ${it.number}: ${steps[it.phase]}; ${done}`;
}

async function request(state: ReplacementState): Promise<string[]> {
  const number = await state.request();
  if (number === undefined) throw new Error('a replacement of data keys is already in progress');
  return [`replacement ${number} of all data keys was requested`];
}
