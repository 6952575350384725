import axe from 'axe-core';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const NARROW = { width: 320, height: 640 };
const WIDE = { width: 1280, height: 800 };

/**
 * Checks a page's accessibility: no axe violation, light and dark, and no horizontal scrolling at 320 px. If SCREENSHOTS names a folder,
 * saves a screenshot of each there as `name`.
 */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violationsOf(page), `${name}, ${colorScheme}`).toEqual([]);
    await picture(page, `${name}-${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(NARROW);
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  expect(width, `${name}: width at 320 px`).toBeLessThanOrEqual(NARROW.width);
  await picture(page, `${name}-narrow`);
  await page.setViewportSize(WIDE);
}

/** The axe findings on the current page. */
export async function violationsOf(
  page: Page,
): Promise<readonly { readonly id: string; readonly help: string; readonly nodes: readonly string[] }[]> {
  // Evaluated by the debugger, because the page's policy blocks scripts.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html }) => html) }));
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
