import type { Json } from '@fairlead/connector-model/json';
import type { Connector } from '@fairlead/connector-model/model';
import { templateParts } from '@fairlead/connector-model/template';

/** The operator's settings of one connector, by name. */
export type ConnectorSettings = { readonly [name: string]: string };

/** The connector with its settings filled in, or the names of missing settings. */
export type SettingsResult =
  | { readonly ok: true; readonly connector: Connector }
  | { readonly ok: false; readonly missing: readonly string[] };

/** Replaces every `{{setting.<name>}}` of a connector with the operator's setting. Unused settings are ignored. */
export function applySettings(connector: Connector, settings: ConnectorSettings): SettingsResult {
  const missing = connector.settings.filter((name) => !Object.hasOwn(settings, name));
  if (missing.length > 0) return { ok: false, missing };
  if (connector.settings.length === 0) return { ok: true, connector };
  // Replacing text in strings keeps the type's shape, which the type system cannot express.
  const substituted = substitute(connector, settings) as unknown as Connector;
  return { ok: true, connector: substituted };
}

function substitute(value: Json, settings: ConnectorSettings): Json {
  if (typeof value === 'string') return substituteText(value, settings);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: Json) => substitute(item, settings));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, substitute(member, settings)]),
  );
}

function substituteText(text: string, settings: ConnectorSettings): string {
  return templateParts(text)
    .map((part) => {
      if ('text' in part) return part.text;
      const { root, name } = part.placeholder;
      return root === 'setting' ? (settings[name] ?? '') : `{{${root}.${name}}}`;
    })
    .join('');
}
