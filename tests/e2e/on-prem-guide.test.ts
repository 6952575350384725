import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { fences } from '../setup/fences.ts';
import { isInstalled, linkedCheckout, PastingShell } from '../setup/walk.ts';

const stack = inject('stack');

describe.each(['bash', 'zsh'] as const)('docs/on-prem.md, pasted into %s', (name) => {
  it('goes from nothing to a query in a private network', async ({ skip }) => {
    skip(!isInstalled(name), `${name} or script is not installed: the guide is not pasted into ${name}`);
    const checkout = await linkedCheckout(stack);
    onTestFinished(() => checkout.remove());
    const shell = await PastingShell.open(name, checkout.path);
    onTestFinished(() => shell.close());
    const printed: string[] = [];
    for (const block of await fences('docs/on-prem.md', 'sh on-prem')) printed.push(await shell.paste(block));
    const [created, , started, queried, stopped] = printed;
    expect(created).toContain('WaitingForConnection');
    expect(started).toContain('The agent is online.');
    expect(queried).toMatch(
      /"isSuccess":true,"output":\{"items":\[\{"name":"[^"]+","category":"[^"]+"\}.*"rowCount":2/,
    );
    expect(stopped).toMatch(/^Offline$/m);
    expect(printed.join('')).not.toMatch(/"errorCode"|opa_/);
  });
});
