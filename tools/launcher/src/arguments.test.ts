import { expect, test } from 'vitest';
import { HELP, parseCommand } from './arguments.ts';
import type { Command } from './arguments.ts';
import { ONE_OF_EACH } from './replicas.ts';

function parse(...argv: string[]): Command {
  return parseCommand(argv, { cwd: '/work', defaultData: '/checkout/.fairlead' });
}

test('without options the port is undefined and the data is in the checkout', () => {
  expect(parse()).toEqual({
    kind: 'start',
    port: undefined,
    data: '/checkout/.fairlead',
    replicas: ONE_OF_EACH,
  });
});

test('--port and --data are parsed, a relative folder against the working directory', () => {
  expect(parse('--port', '9090', '--data', 'mine')).toEqual({
    kind: 'start',
    port: 9090,
    data: '/work/mine',
    replicas: ONE_OF_EACH,
  });
  expect(parse('--port=0', '--data=/abs', '--replicas', 'tools=3')).toEqual({
    kind: 'start',
    port: 0,
    data: '/abs',
    replicas: { ...ONE_OF_EACH, tools: 3 },
  });
});

test.each(['x', '-1', '65536', '1.5', '', ' 80'])('--port=%s is refused', (port) => {
  expect(parse(`--port=${port}`)).toEqual({
    kind: 'invalid',
    message: '--port expects a number from 0 to 65535',
  });
});

test.each([
  [['--bogus'], "Unknown option '--bogus'"],
  [['extra'], "Unexpected argument 'extra'"],
  [['--data='], '--data expects a folder'],
  [['--replicas=nats=2'], '--replicas expects services with a number from 1 to 16: tools=3,gateway=2'],
])('%j is refused in one sentence', (argv, message) => {
  expect(parse(...argv)).toEqual({ kind: 'invalid', message });
});

test('--help wins, and explains every option', () => {
  expect(parse('--help', '--port', 'x')).toEqual({ kind: 'help' });
  for (const option of ['--port', '--data', '--replicas', '--help', 'MONGODB_URI', 'FAIRLEAD_CACHE'])
    expect(HELP).toContain(option);
});
