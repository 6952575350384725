import { expect, test } from 'vitest';
import { type Command, HELP, parseCommand } from './arguments.ts';

function parse(...argv: string[]): Command {
  return parseCommand(argv, { cwd: '/work', defaultData: '/checkout/.fairlead' });
}

test('without options the port is open and the data lies in the checkout', () => {
  expect(parse()).toEqual({ kind: 'start', port: undefined, data: '/checkout/.fairlead' });
});

test('--port and --data are taken, a relative folder from where the command was given', () => {
  expect(parse('--port', '9090', '--data', 'mine')).toEqual({
    kind: 'start',
    port: 9090,
    data: '/work/mine',
  });
  expect(parse('--port=0', '--data=/abs')).toEqual({ kind: 'start', port: 0, data: '/abs' });
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
])('%j is refused in one sentence', (argv, message) => {
  expect(parse(...argv)).toEqual({ kind: 'invalid', message });
});

test('--help wins, and explains every option', () => {
  expect(parse('--help', '--port', 'x')).toEqual({ kind: 'help' });
  for (const option of ['--port', '--data', '--help', 'MONGODB_URI', 'FAIRLEAD_CACHE'])
    expect(HELP).toContain(option);
});
