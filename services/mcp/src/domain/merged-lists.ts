import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { toolNames } from './tool-names.ts';
import { matchesTemplate } from './uri-template.ts';
import type { UpstreamItem, Upstream, UpstreamLists } from './upstream-lists.ts';

/** An upstream and its lists. */
export interface OfferingUpstream {
  readonly upstream: Upstream;
  readonly lists: UpstreamLists;
}

/** A prompt and its name on the server. */
export interface ServerPrompt {
  readonly upstream: Upstream;
  /** The prompt's name at the upstream. */
  readonly upstreamName: string;
  readonly json: LazyJson;
}

/** The prompts of all upstreams in order, with unique names like those of tools. */
export function mergedPrompts(offering: readonly OfferingUpstream[]): ReadonlyMap<string, ServerPrompt> {
  const nameable = offering.flatMap(({ upstream, lists }) =>
    distinct(lists.prompts).map(({ key, json }) => ({ ...upstream, toolSlug: key, upstreamName: key, json })),
  );
  const names = toolNames(nameable);
  const served = new Map<string, ServerPrompt>();
  for (const prompt of nameable) {
    const { connectionId, applicationSlug, upstreamName, json } = prompt;
    const name = names.get(prompt) ?? upstreamName;
    const upstream = { connectionId, applicationSlug };
    served.set(name, { upstream, upstreamName, json: name === upstreamName ? json : renamed(json, name) });
  }
  return served;
}

/** The resources of all upstreams in order. If several have the same URI, only the first is listed. */
export function mergedResources(offering: readonly OfferingUpstream[]): readonly UpstreamItem[] {
  return distinct(offering.flatMap(({ lists }) => lists.resources));
}

/** The resource templates of all upstreams, with the same rule. */
export function mergedTemplates(offering: readonly OfferingUpstream[]): readonly UpstreamItem[] {
  return distinct(offering.flatMap(({ lists }) => lists.templates));
}

/** The first upstream that lists a resource, else the first with a matching template; undefined: none. */
export function ownerOfResource(offering: readonly OfferingUpstream[], uri: string): Upstream | undefined {
  const owner =
    offering.find(({ lists }) => lists.resources.some(({ key }) => key === uri)) ??
    offering.find(({ lists }) => lists.templates.some(({ key }) => matchesTemplate(key, uri)));
  return owner?.upstream;
}

/** The upstreams to ask for a resource, in turn: its owner, or else all that have resources. */
export function upstreamsOfResource(offering: readonly OfferingUpstream[], uri: string): readonly Upstream[] {
  const owner = ownerOfResource(offering, uri);
  if (owner !== undefined) return [owner];
  return offering.filter(({ lists }) => lists.hasResources).map(({ upstream }) => upstream);
}

function distinct(items: readonly UpstreamItem[]): readonly UpstreamItem[] {
  const byKey = new Map<string, UpstreamItem>();
  for (const item of items) if (!byKey.has(item.key)) byKey.set(item.key, item);
  return [...byKey.values()];
}

function renamed(json: LazyJson, name: string): LazyJson {
  const members = [...(objectSlices(json.bytes) ?? [])].map(
    ([member, bytes]) => [member, new LazyJson(bytes)] as const,
  );
  return new LazyJson(jsonBytes({ ...Object.fromEntries(members), name }));
}
