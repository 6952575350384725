import type { FieldDescriptor } from '@fairlead/connector-model/model';
import { html } from '@fairlead/pages/html';
import type { Html } from '@fairlead/pages/html';
import type { Language } from './languages/choose.ts';
import type { Messages } from './languages/messages.ts';
import { localized } from './localize.ts';

export type FormField = Pick<
  FieldDescriptor,
  | 'name'
  | 'label'
  | 'description'
  | 'type'
  | 'isRequired'
  | 'isPassword'
  | 'maskInLogs'
  | 'defaultValue'
  | 'options'
  | 'help'
  | 'helpUrl'
  | 'translations'
>;

/** The problem of a field: nothing was entered, or the service's text. */
export type FieldProblem =
  { readonly kind: 'missing' } | { readonly kind: 'refused'; readonly issue: string };

/** A person's input, by field name. */
export type FormInput = ReadonlyMap<string, string>;

/** The HTML name of a field's control. */
export function controlName(name: string): string {
  return `field.${name}`;
}

/** The controls of a form's fields, with the former input (no secrets) and the problems. */
export function fieldControls(o: {
  readonly fields: readonly FormField[];
  readonly entered: FormInput;
  readonly problems: ReadonlyMap<string, FieldProblem>;
  readonly language: Language;
  /** Prefix of the controls' ids; each form on a page has its own. */
  readonly idPrefix: string;
}): readonly Html[] {
  return o.fields.map((field, index) => fieldControl(field, `${o.idPrefix}-${index}`, o));
}

/** Whether the field is secret; no page shows its value. */
export function isSecret({ isPassword, maskInLogs }: Pick<FormField, 'isPassword' | 'maskInLogs'>): boolean {
  return isPassword || maskInLogs;
}

function fieldControl(
  field: FormField,
  id: string,
  o: {
    readonly entered: FormInput;
    readonly problems: ReadonlyMap<string, FieldProblem>;
    readonly language: Language;
  },
): Html {
  const { messages } = o.language;
  const { texts, lang } = textsOf(field, o.language);
  const hint = hintOf(field, texts, messages);
  const problem = o.problems.get(field.name);
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(problem === undefined ? [] : [`${id}-issue`]),
  ].join(' ');
  const attributes = html` id="${id}"
  name="${controlName(field.name)}"${
    described === '' ? undefined : html` aria-describedby="${described}"`
  }${problem === undefined ? undefined : html` aria-invalid="true"`}`;
  const value = isSecret(field) ? '' : (o.entered.get(field.name) ?? defaultText(field));
  const label = html`<label for="${id}"
    ><span${lang}>${texts.label}</span>${
      field.isRequired || field.type === 'boolean' ? undefined : html` <small>${messages.optional}</small>`
    }</label
  >`;
  const hintText = hint === undefined ? undefined : html`<p class="hint" id="${id}-hint" ${lang}>${hint}</p>`;
  const issue = problem === undefined ? undefined : issueText(problem, id, messages);
  if (field.type === 'boolean') {
    return html`<div class="check">
        <input
          type="checkbox"
          value="true"
          ${attributes}${value === 'true' ? html` checked` : undefined}
        />${label}
      </div>
      ${hintText} ${issue}`;
  }
  return html`${label} ${hintText} ${control(field, attributes, value, o.language)} ${issue}`;
}

type FieldTexts = Pick<FormField, 'label' | 'description' | 'help'>;

function textsOf({ label, description, help, translations }: FormField, { code }: Language) {
  return localized<FieldTexts>(code, { label, description, help }, translations);
}

/** The hint of a field: its description, and where to find the value. */
function hintOf(
  { helpUrl }: Pick<FormField, 'helpUrl'>,
  { description, help }: FieldTexts,
  { helpLink }: Messages,
): Html | undefined {
  const link =
    helpUrl === null || !/^https?:\/\//.test(helpUrl)
      ? undefined
      : html` <a href="${helpUrl}" target="_blank" rel="noopener noreferrer">${helpLink}</a>`;
  const text = help === null ? description : `${description} ${help}`.trim();
  return text === '' && link === undefined ? undefined : html`${text}${link}`;
}

function control(field: FormField, attributes: Html, value: string, language: Language): Html {
  const required = field.isRequired ? html` required` : undefined;
  if (field.type === 'select') return select(field, attributes, value, language);
  if (isSecret(field) && field.type !== 'json')
    return html`<input type="password" autocomplete="off" spellcheck="false" ${attributes}${required} />`;
  if (field.type === 'json')
    return html`<textarea autocomplete="off" spellcheck="false" ${attributes}${required}>${value}</textarea>`;
  const mode = field.type === 'number' ? html` inputmode="decimal"` : undefined;
  return html`<input
    type="text"
    autocomplete="off"
    spellcheck="false"
    value="${value}"
    ${attributes}${mode}${required}
  />`;
}

function select(field: FormField, attributes: Html, value: string, { code, messages }: Language): Html {
  const choices = field.options.map((option) => {
    const { texts, lang } = localized(code, { label: option.label }, option.translations);
    const selected = option.value === value ? html` selected` : undefined;
    return html`<option value="${option.value}" ${selected}${lang}>${texts.label}</option>`;
  });
  const required = field.isRequired ? html` required` : undefined;
  return html`<select${attributes}${required}><option value="">${messages.choose}</option>${choices}</select>`;
}

function issueText(problem: FieldProblem, id: string, messages: Messages): Html {
  const text =
    problem.kind === 'missing'
      ? html`${messages.required}`
      : html`${messages.notAccepted} <span lang="en">${problem.issue}</span>`;
  return html`<p class="issue" id="${id}-issue">${text}</p>`;
}

function defaultText({ defaultValue }: FormField): string {
  return typeof defaultValue === 'object' ? '' : String(defaultValue);
}
