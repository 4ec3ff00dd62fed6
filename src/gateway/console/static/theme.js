// Light, dark, or what the machine says.
const system = matchMedia('(prefers-color-scheme: dark)');
const apply = () => {
  const chosen = theme();
  const isDark = chosen === 'dark' || (chosen === 'system' && system.matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
};

export const theme = () => localStorage.getItem('headgate-theme') ?? 'system';

export function chooseTheme(name) {
  localStorage.setItem('headgate-theme', name);
  apply();
}

system.addEventListener('change', apply);
apply();
