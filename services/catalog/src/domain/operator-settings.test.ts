import { describe, expect, it } from 'vitest';
import { testConnector } from '../testing/connectors.ts';
import { applySettings } from './operator-settings.ts';

const connector = testConnector('crm', {
  settings: ['baseUrl', 'region'],
  baseUrl: '{{ setting.baseUrl }}/api/{{setting.region}}/{{field.workspace}}',
});

describe('applySettings', () => {
  it('replaces settings and keeps every other template', () => {
    const settled = applySettings(connector, { baseUrl: 'http://crm', region: 'eu' });
    expect(settled).toEqual({
      ok: true,
      connector: { ...connector, baseUrl: 'http://crm/api/eu/{{field.workspace}}' },
    });
  });

  it('does not read a value as a template', () => {
    const settled = applySettings(connector, { baseUrl: '{{setting.region}}', region: 'eu' });
    expect(settled).toMatchObject({
      connector: { baseUrl: '{{setting.region}}/api/eu/{{field.workspace}}' },
    });
  });

  it('names every missing setting', () => {
    expect(applySettings(connector, { other: 'x' })).toEqual({ ok: false, missing: ['baseUrl', 'region'] });
  });

  it('does not treat inherited object members as settings', () => {
    expect(applySettings({ ...connector, settings: ['toString'] }, {})).toMatchObject({ ok: false });
  });
});
