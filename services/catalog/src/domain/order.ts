import { compareCodePoints, compareText } from '@fairlead/connector-model/text-order';
import type { CataloguedApplication, CataloguedTool, CataloguedTriggerType } from './application.ts';

/** Catalogue order of applications: by name, then by slug. Slugs are unique, so the order is total. */
export function compareApplications(a: CataloguedApplication, b: CataloguedApplication): number {
  return (
    compareText(a.connector.name, b.connector.name) || compareCodePoints(a.connector.slug, b.connector.slug)
  );
}

/** Catalogue order of tools: by name, then by slug, then by application. */
export function compareTools(a: CataloguedTool, b: CataloguedTool): number {
  return (
    compareText(a.tool.toolName, b.tool.toolName) ||
    compareCodePoints(a.tool.toolSlug, b.tool.toolSlug) ||
    compareCodePoints(a.application.connector.slug, b.application.connector.slug)
  );
}

/** Catalogue order of trigger types: by name, then by slug. Slugs are unique, so the order is total. */
export function compareTriggerTypes(a: CataloguedTriggerType, b: CataloguedTriggerType): number {
  return (
    compareText(a.triggerType.name, b.triggerType.name) ||
    compareCodePoints(a.triggerType.slug, b.triggerType.slug)
  );
}

/** Merges two sorted lists into one. */
export function mergeSorted<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
): readonly T[] {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
  const merged: T[] = [];
  let next = 0;
  for (const item of a) {
    for (let other = b[next]; other !== undefined && compare(other, item) < 0; other = b[next]) {
      merged.push(other);
      next += 1;
    }
    merged.push(item);
  }
  return [...merged, ...b.slice(next)];
}
