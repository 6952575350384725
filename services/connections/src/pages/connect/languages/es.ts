import { html } from '@fairlead/pages/html';
import type { Messages } from './messages.ts';

/** Spanish. */
export const es: Messages = {
  connectTitle: (application) => `Conectar ${application}`,
  asks: ({ user, account }, application) => html`${user}, de ${account}, le pide que conecte ${application}.`,
  renewTitle: (application) => `Volver a conectar ${application}`,
  renews: ({ user, account }, application, connection) =>
    html`${user}, de ${account}, le pide que renueve la conexión ${connection} con ${application}.`,
  trust: (account) =>
    html`Continúe solo si conoce a ${account}. Cualquiera de las partes puede eliminar la conexión más
    adelante.`,
  scopesTitle: (account) => html`${account} podrá`,
  scopesAtVendor: 'Allí verá qué permisos solicita antes de aceptar.',
  moreScopes: (count) => `y ${count} más`,
  tested: (application) => html`Sus datos se comprueban en ${application} antes de guardarlos.`,
  optional: '(opcional)',
  choose: 'Elija una opción…',
  connect: 'Conectar',
  signInWith: (application) => `Iniciar sesión con ${application}`,
  helpLink: 'Abrir la página donde se encuentra',
  cancel: 'Cancelar',
  otherMethods: 'Otras formas de conectar',
  chooseTitle: 'Elija una aplicación',
  chooses: ({ user, account }) =>
    html`${user}, de ${account}, le pide que conecte una aplicación que usted utilice.`,
  searchLabel: 'Buscar aplicaciones',
  search: 'Buscar',
  noMatch: 'No se ha encontrado ninguna aplicación.',
  previousPage: 'Página anterior',
  nextPage: 'Página siguiente',
  allApplications: 'Todas las aplicaciones',
  connected: (connection) => html`${connection}: conexión establecida.`,
  done: 'Listo',
  chooseOptionsTitle: (application) => `Último paso: ${application}`,

  problemPrefix: 'Error: ',
  checkTitle: 'Revise los datos introducidos',
  checkText: 'Junto a cada campo se indica qué es incorrecto.',
  required: 'Este campo es obligatorio.',
  notAccepted: 'Este valor no es válido:',
  refusedTitle: 'No se ha podido establecer la conexión',
  refusedText: 'Motivo indicado:',
  staleTitle: 'Confirme de nuevo',
  staleText: 'La página ha estado abierta demasiado tiempo o su navegador bloquea las cookies.',

  completedTitle: 'Conexión establecida',
  cancelledTitle: 'No se ha conectado nada',
  cancelledText: 'Ha cancelado el proceso.',
  withdrawnText: (account) => html`${account} ha anulado este enlace.`,
  expiredTitle: 'Este enlace ha caducado',
  endedTitle: 'Este enlace ya no es válido',
  startAgain: 'Vuelva al sitio del que venía y empiece de nuevo.',
  goneTitle: 'La conexión ya no existe',
  goneText: (account) =>
    html`${account} o usted la ha eliminado. Vuelva al sitio del que venía y cree una conexión nueva.`,
  limitTitle: 'No se pueden añadir más conexiones',
  limitText: (account) =>
    html`Ya tiene tantas conexiones como permite ${account}. Elimine una de ellas allí y empiece de nuevo.`,
  notOfferedTitle: 'Esta aplicación no está disponible',
  notOfferedText: 'No se puede conectar aquí, o ya no es posible.',
  reopenTitle: 'Abra el enlace otra vez',
  reopenText:
    'Su navegador no ha conservado la sesión. Permita las cookies de este sitio y vuelva a abrir el enlace.',
  tryAgainTitle: 'Inténtelo de nuevo',
  tooManyText:
    'Se han abierto demasiadas páginas desde su red. Recargue esta página dentro de unos segundos.',
  awayText: 'Una parte del sistema no responde en este momento.',
  failedTitle: 'Algo ha salido mal',
  failedText: 'No se ha podido crear la conexión.',
  formTitle: 'No se puede aceptar este formulario',
  reference: 'Referencia:',

  mayClose: 'Puede cerrar esta ventana.',
  closeWindow: 'Cerrar la ventana',
  returnTo: (host) => `Volver a ${host}`,

  signIn: {
    title: (application) => `¿Conectar ${application}?`,
    asks: ({ user, account }, application, host) =>
      html`${user}, de ${account}, le pide que conecte ${application}. Iniciará sesión en ${host}.`,
    defaultScopes: 'Solicita lo que la aplicación concede de forma predeterminada; lo verá allí.',
    continueTo: (application) => `Continuar a ${application}`,
    completedTitle: 'Ha iniciado sesión',
    completedText: (application) =>
      html`${application} ha autorizado el inicio de sesión. Puede cerrar esta ventana y continuar en el sitio
      del que venía.`,
    cancelledText: 'Ha cancelado el inicio de sesión. Puede cerrar esta ventana.',
    failedTitle: 'El inicio de sesión no se ha completado',
    brokenText: 'No se ha podido continuar el inicio de sesión. Empiece de nuevo en el sitio del que venía.',
    endedTitle: 'Este inicio de sesión ha terminado',
    endedText:
      'Ha caducado, ya se ha utilizado o se empezó en otro navegador. Vuelva al sitio del que venía y empiece de nuevo.',
    formText: 'Abra de nuevo la dirección del inicio de sesión.',
  },
};
