import { expect, it } from 'vitest';
import { createCall } from './pool-call.ts';
import type { PoolCall } from './pool-call.ts';
import { WaitingLine } from './waiting-line.ts';

function lineOf(...names: string[]): { line: WaitingLine; calls: Map<string, PoolCall> } {
  const line = new WaitingLine();
  const calls = new Map<string, PoolCall>();
  for (const [at, name] of names.entries()) {
    const account = name.slice(0, 1);
    const { call } = createCall({
      id: at,
      account,
      job: name,
      timeoutMs: 1_000,
      mask: String,
      onEnd: () => undefined,
    });
    calls.set(name, call);
    line.add(call);
  }
  return { line, calls };
}

it('offers the calls of an account in order, and the accounts in turn', () => {
  const { line, calls } = lineOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2');
  const taken: PoolCall[] = [];
  line.offer((call) => (taken.push(call), 'taken'));
  expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'].map((name) => calls.get(name)));
  expect([line.size, [...line.accounts()]]).toEqual([0, []]);
});

it('an account whose call finds no worker holds up no other', () => {
  const { line, calls } = lineOf('a1', 'a2', 'b1', 'b2');
  const taken: PoolCall[] = [];
  line.offer((call) => (call.account === 'a' ? 'noRoom' : (taken.push(call), 'taken')));
  expect(taken).toEqual([calls.get('b1'), calls.get('b2')]);
  expect(line.of('a').count).toBe(2);
});

it('a call that goes later lets those behind it pass', () => {
  const { line, calls } = lineOf('a1', 'a2', 'a3', 'b1');
  const taken: PoolCall[] = [];
  line.offer((call) => (call === calls.get('a1') ? 'later' : (taken.push(call), 'taken')));
  expect(taken).toEqual([calls.get('a2'), calls.get('b1'), calls.get('a3')]);
  expect(line.of('a').count).toBe(1);
});

it('forgets a call that left, and counts what waits', () => {
  const { line, calls } = lineOf('a1', 'a2', 'b1');
  const [first, other] = [calls.get('a1'), calls.get('b1')];
  expect(first && [line.remove(first), line.remove(first)]).toEqual([true, false]);
  expect(line.of('a')).toEqual({ count: 1, bytes: calls.get('a2')?.bytes });
  expect(line.drain()).toEqual([calls.get('a2'), other]);
  expect(line.size).toBe(0);
});
