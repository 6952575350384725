import { arraySlices, objectSlices } from '@fairlead/service-kit/json/json-slices';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';

/** The MCP server behind a connection, whose prompts and resources a server of ours offers. */
export interface Upstream {
  readonly connectionId: number;
  readonly applicationSlug: string;
}

/** A prompt, a resource or a resource template. */
export interface UpstreamItem {
  /** The item's name, URI or URI template. */
  readonly key: string;
  /** The item as its server sent it. */
  readonly json: LazyJson;
}

/** Capabilities of a server besides tools. */
export interface UpstreamAbilities {
  readonly hasPrompts: boolean;
  readonly hasResources: boolean;
  readonly hasCompletions: boolean;
  /** Whether the server notifies subscribers of changed resources. */
  readonly hasSubscriptions: boolean;
}

/** The lists of a server besides its tools, as JSON arrays. */
export interface UpstreamListsJson extends UpstreamAbilities {
  readonly prompts: Uint8Array;
  readonly resources: Uint8Array;
  readonly templates: Uint8Array;
}

/** The parsed lists. */
export interface UpstreamLists extends UpstreamAbilities {
  readonly prompts: readonly UpstreamItem[];
  readonly resources: readonly UpstreamItem[];
  readonly templates: readonly UpstreamItem[];
  /** Memory of the lists, in bytes. */
  readonly size: number;
}

/** Parses the lists; items without a valid key are skipped. */
export function readUpstreamLists(json: UpstreamListsJson): UpstreamLists {
  const { prompts, resources, templates, ...abilities } = json;
  return {
    ...abilities,
    prompts: itemsOf(prompts, 'name'),
    resources: itemsOf(resources, 'uri'),
    templates: itemsOf(templates, 'uriTemplate'),
    size: prompts.length + resources.length + templates.length,
  };
}

function itemsOf(list: Uint8Array, keyMember: string): readonly UpstreamItem[] {
  return (arraySlices(list) ?? []).flatMap((item) => {
    const members = objectSlices(item);
    const named = members?.get(keyMember);
    const key = named && new LazyJson(named, keyMember).parse();
    return typeof key === 'string' ? [{ key, json: new LazyJson(item) }] : [];
  });
}
