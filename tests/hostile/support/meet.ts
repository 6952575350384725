import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { post } from '../../contract/support/api.ts';
import type { Answer } from '../../contract/support/api.ts';
import { createConnection } from '../../contract/support/connections.ts';
import type { AttackingCall } from './observe.ts';
import type { Attack, Failure, ToolCall } from './peer.ts';

/** Failure of a call whose worker was ended for its memory. */
export const OUT_OF_MEMORY = 'The call needed more memory than it may';
/** Failure of a call that got no turn before its deadline, on a busy machine. */
const LATE = 'did not respond within';

/** A call that encounters an attack, and its required failure. */
export interface Encounter {
  readonly call: AttackingCall;
  readonly fails: Failure;
}

/** Connects this file's attacking account to a peer; returns the connection's id. */
export async function connect({
  connection,
  connected,
}: Pick<Attack, 'connection' | 'connected'>): Promise<number> {
  const { id } = await createConnection({ connectionName: `Hostile ${randomUUID()}`, ...connection });
  connected?.();
  return id;
}

/** A call of a tool with that connection. */
export function execute(connectionId: number, { toolSlug, fields }: ToolCall): Promise<Answer> {
  return post(`/v1/tools/${toolSlug}/execute?connectionId=${connectionId}`, { fields });
}

/** Connects to an attack's peer; each encounter is one execution, or one test of that connection. */
export async function encounters(attack: Attack): Promise<readonly Encounter[]> {
  const { execution, test } = attack;
  const id = await connect(attack);
  return [
    ...(execution === undefined ? [] : [{ call: () => execute(id, execution.call), fails: execution.fails }]),
    ...(test === undefined ? [] : [{ call: () => post(`/v1/connections/${id}/test`), fails: test.fails }]),
  ];
}

/** Checks an attacking call's outcome: 200 with the expected failure or success, or 429 if the account's other calls left no turn. */
export function expectFailure(answer: Answer, fails: Failure): void {
  if (answer.status === 429) {
    expect(answer.headers.get('retry-after'), answer.text).toBe('1');
    return;
  }
  expect(answer.status, answer.text).toBe(200);
  if (fails === undefined) return;
  expect(answer.body.isSuccess, answer.text.slice(0, 2_000)).toBe(fails === null);
  if (fails === null) return;
  expect(answer.body.errorMessage, answer.text).toEqual(expect.stringMatching(/./));
  // Several concurrent calls may first fill their worker, or keep it busy.
  const { errorMessage } = answer.body;
  if (errorMessage.startsWith(OUT_OF_MEMORY) || errorMessage.includes(LATE)) return;
  expect(errorMessage).toContain(fails);
}

/** Whether an attacked call failed as required and not at its deadline, or all were refused with 429. */
export function isNoticed(answers: readonly Answer[], fails: Failure): boolean {
  if (typeof fails !== 'string' || answers.every(({ status }) => status === 429)) return true;
  return answers.some(({ body }) => {
    const message = String(body.errorMessage ?? '');
    return message.includes(fails) || message.startsWith(OUT_OF_MEMORY);
  });
}
