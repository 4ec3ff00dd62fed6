/*
 * Plays a power loss: everything that a process wrote to files under HEADGATE_LOSSY but did not fsync is gone.
 * At every fsync the file as it is then is copied to `<name>.synced`; the test puts these copies in place of the files.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void keep(int fd) {
  const char *folder = getenv("HEADGATE_LOSSY");
  char link[64], path[4096], copy[4200], part[4210], buffer[65536];
  if (folder == NULL) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return;
  path[length] = 0;
  struct stat info;
  if (strncmp(path, folder, strlen(folder)) != 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return;
  snprintf(copy, sizeof copy, "%s.synced", path);
  snprintf(part, sizeof part, "%s.part", copy);
  int to = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (to < 0) return;
  ssize_t got;
  off_t at = 0;
  while ((got = pread(fd, buffer, sizeof buffer, at)) > 0) {
    if (write(to, buffer, (size_t)got) != got) break;
    at += got;
  }
  close(to);
  rename(part, copy);
}

int fsync(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  int result = real(fd);
  if (result == 0) keep(fd);
  return result;
}

int fdatasync(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  int result = real(fd);
  if (result == 0) keep(fd);
  return result;
}
