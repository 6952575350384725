import type { Answer } from './api.ts';

/** The record, read by its own account; throws if that fails. */
export async function ownRecord(answer: Promise<Answer>): Promise<unknown> {
  const { status, text, body: record } = await answer;
  if (status !== 200) throw new Error(`the record cannot be read by its own account: ${status} ${text}`);
  return record;
}
