/*
 * A disk whose flush has a price: every fsync and fdatasync is counted in the file HEADGATE_FLUSH_COUNT and, when HEADGATE_FLUSH_US is
 * given, takes exactly so many microseconds instead of what the disk takes in this minute. For measuring, never for data.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint64_t *counter;
static long price = -1;

__attribute__((constructor)) static void open_counter(void) {
  const char *path = getenv("HEADGATE_FLUSH_COUNT"), *micros = getenv("HEADGATE_FLUSH_US");
  if (micros != NULL && *micros != 0) price = atol(micros);
  int fd = path == NULL ? -1 : open(path, O_RDWR);
  if (fd < 0) return;
  void *page = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (page != MAP_FAILED) counter = page;
  close(fd);
}

static int flush(const char *name, int fd) {
  if (counter != NULL) __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
  if (price < 0) return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
  struct timespec left = {price / 1000000, (price % 1000000) * 1000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
  return 0;
}

int fsync(int fd) { return flush("fsync", fd); }

int fdatasync(int fd) { return flush("fdatasync", fd); }
