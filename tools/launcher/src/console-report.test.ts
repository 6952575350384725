import { expect, test } from 'vitest';
import { reportTo } from './console-report.ts';

test('on a terminal progress rewrites its line, and the next line clears it', () => {
  let text = '';
  const report = reportTo({ isTTY: true, write: (part) => (text += part) });
  report.progress?.('1 of 2 MB');
  report.progress?.('2 of 2 MB');
  report.line('done');
  expect(text).toBe('\r\u001B[K1 of 2 MB\r\u001B[K2 of 2 MB\r\u001B[Kdone\n');
});

test('elsewhere there are only lines', () => {
  let text = '';
  const report = reportTo({ write: (part) => (text += part) });
  expect(report.progress).toBeUndefined();
  report.line('done');
  expect(text).toBe('done\n');
});
