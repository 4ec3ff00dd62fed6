const mapOf = (plain: string, placed: string): Map<string, string> => {
  const signs = [...placed];
  return new Map([...plain].map((sign, index) => [sign, signs[index] as string]));
};
const RAISED = mapOf('0123456789+-−bcdfghijklmnprstuvwxyz', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ᵇᶜᵈᶠᵍʰⁱʲᵏˡᵐⁿᵖʳˢᵗᵘᵛʷˣʸᶻ');
const LOWERED = mapOf('0123456789ijkmnptx', '₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₘₙₚₜₓ');

/** Numbers, lists of them, charges, and powers with a letter. Others are mostly endings: 1st, XIXe, Mme. */
const HIGH = /^(?:[+−-]?\d{1,4}(?:[,–] ?\d{1,4})*|\d{0,2}[+−-]|\d?[b-df-np-z](?:[+−-]\d{1,3})?)$/;
/** What has no raised form. */
const BROKEN = /^[+−-]?\d{1,4}[./]\d{1,4}$/;
const LOW = /^[ijkmnptx]$/;

/** Raised text so that the line says the same without being raised: 10⁶ is not 106. */
export function writeRaised(text: string): string {
  const body = text.trim();
  if (BROKEN.test(body)) return `^(${body})`;
  return HIGH.test(body) ? body.replace(/./g, (sign) => RAISED.get(sign) ?? sign) : text;
}

/** Lowered text in the same way: xᵢ. The 2 of CO2 needs nothing; one after another digit, or below a fraction, does. */
export function writeLowered(text: string, before: string): string {
  const isNumber = /^\d{1,3}$/.test(text) && /[\d/⁄]$/.test(before);
  return isNumber || LOW.test(text) ? text.replace(/./g, (sign) => LOWERED.get(sign) ?? sign) : text;
}
