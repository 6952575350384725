import type { Json } from './json.ts';

const TEMPLATE_ROOTS = [
  'input',
  'field',
  'setting',
  'page',
  'filter',
  'sort',
  'token',
  'cursor',
  'webhook',
] as const;
/** The root of a placeholder, which selects the kind of value. */
export type TemplateRoot = (typeof TEMPLATE_ROOTS)[number];

/** A placeholder `{{root.name}}` in a template string. */
export interface Placeholder {
  readonly root: TemplateRoot;
  readonly name: string;
}

/** The parts of a template string: texts and placeholders in order. */
export type TemplatePart = { readonly text: string } | { readonly placeholder: Placeholder };

const PLACEHOLDER = /\{\{\s*([a-z]+)\.([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}/g;

/**
 * Splits a template string into its parts. Double braces that are not of the form `{{root.name}}` stay text, so a
 * value that looks like a template cannot break a call. The compile step refuses them in manifests.
 */
export function templateParts(template: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    const [whole, root, name] = match;
    if (!isTemplateRoot(root) || name === undefined) continue;
    if (match.index > end) parts.push({ text: template.slice(end, match.index) });
    parts.push({ placeholder: { root, name } });
    end = match.index + whole.length;
  }
  if (end < template.length) parts.push({ text: template.slice(end) });
  return parts;
}

/** Whether `template` contains double braces that are not a placeholder: a typo in a manifest. */
export function hasMalformedPlaceholder(template: string): boolean {
  return templateParts(template).some((part) => 'text' in part && /\{\{|\}\}/.test(part.text));
}

/** All placeholders in the strings of `value`, at any depth; member names are no templates. */
export function placeholdersIn(value: Json): readonly Placeholder[] {
  return stringsIn(value).flatMap((text) =>
    templateParts(text).flatMap((part) => ('placeholder' in part ? [part.placeholder] : [])),
  );
}

/** All strings in `value`, at any depth, except member names. */
export function stringsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(stringsIn);
}

function isTemplateRoot(text: string | undefined): text is TemplateRoot {
  return TEMPLATE_ROOTS.some((root) => root === text);
}
